//! Camera and obstacles go along with the bodies into the formats that hold them, and are not taken for bodies.

use crate::wobble::{Wobble, write};
use serde_json::Value;
use sinew_io::read_cache;
use tempfile::tempdir;

fn document(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn a_glb_has_a_camera_and_an_obstacle_that_moves() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.glb");
    for frames in [20, 90] {
        write(&mut Wobble::new(frames).with_surroundings(), &path);
        let file = document(&std::fs::read(&path).unwrap());
        let nodes = file["nodes"].as_array().unwrap();
        let names: Vec<&str> = nodes.iter().map(|node| node["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["ball-1", "sheet", "box", "camera"]);
        assert_eq!(file["scenes"][0]["nodes"].as_array().unwrap().len(), 4);
        let yfov = file["cameras"][0]["perspective"]["yfov"].as_f64().unwrap();
        assert!((yfov.to_degrees() - 40.0).abs() < 1e-3, "{yfov}");
        let channels = file["animations"][0]["channels"].as_array().unwrap();
        let of = |node: u64| {
            let own = channels.iter().filter(move |channel| channel["target"]["node"] == node);
            own.map(|channel| channel["target"]["path"].as_str().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(of(2), ["translation", "rotation"]);
        assert!(of(3).is_empty(), "a camera that stands still has no keys");
        let bodies: Vec<String> = read_cache(&path).unwrap().into_iter().map(|cache| cache.name).collect();
        assert_eq!(bodies, ["ball-1", "sheet"]);
    }
}

#[test]
fn so_has_a_usd_file() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.usda");
    write(&mut Wobble::new(5).with_surroundings(), &path);
    let text = std::fs::read_to_string(&path).unwrap();
    for word in ["def Camera \"camera\"", "def Mesh \"box\"", "float focalLength.timeSamples"] {
        assert!(text.contains(word), "{word}");
    }
    // 12 mm / tan 20°.
    assert!(text.contains("1: 32.9697"), "{}", text.lines().filter(|line| line.contains("32.9")).count());
    assert_eq!(text.matches("xformOp:transform.timeSamples").count(), 2);
    assert_eq!(read_cache(&path).unwrap().len(), 2);
}
