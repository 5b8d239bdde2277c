//! Many scenes at once: who breaks which law how often, and the smallest scene for each.

use crate::generate::{MeshFile, generate};
use crate::judge::off_by_frame;
use crate::{Breach, Case, Law, Verdict, judge, known, minimise};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// What to look at.
pub struct Options {
    pub seeds: Range<u64>,
    pub out: PathBuf,
    pub models: Option<PathBuf>,
    /// Scenes that are shrunk per law and solver.
    pub shrink: usize,
    /// 0 takes all cores.
    pub threads: usize,
}

/// One scene that was judged.
struct Judged {
    seed: u64,
    case: Case,
    verdict: Verdict,
    secs: f64,
}

/// Draws, plays and judges scenes; prints tables; shrinks some of those that fail and writes them.
pub fn survey(options: &Options) -> Result<()> {
    let meshes = options.models.as_deref().map(meshes_in).unwrap_or_default();
    let folder = options.models.clone().unwrap_or_else(|| PathBuf::from("."));
    let judge_one = |seed: u64| -> Result<Judged> {
        let (case, begun) = (generate(seed, &meshes), Instant::now());
        let verdict = judge(&case, &folder).with_context(|| format!("seed {seed}"))?;
        // As they come: a survey that is stopped has told what it knows.
        for breach in verdict.faults() {
            eprintln!("seed {seed} ({}): {}", case.family, line(breach));
        }
        Ok(Judged { seed, case, verdict, secs: begun.elapsed().as_secs_f64() })
    };
    let seeds: Vec<u64> = options.seeds.clone().collect();
    let judged = in_parallel(&seeds, options.threads, |seed| judge_one(*seed));
    let (judged, refused): (Vec<_>, Vec<_>) = judged.into_iter().partition(Result::is_ok);
    let judged: Vec<Judged> = judged.into_iter().flatten().collect();
    let mut text = tables(&judged);
    for error in refused.into_iter().filter_map(Result::err) {
        let _ = writeln!(text, "cannot be built: {error:#}");
    }
    std::fs::create_dir_all(&options.out)?;
    let kept = shrink(&judged, options, &folder);
    for (name, scene, line) in &kept {
        std::fs::write(options.out.join(name), scene)?;
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(options.out.join("summary.md"), &text)?;
    print!("{text}");
    Ok(())
}

/// Maps a list on as many threads as there are cores (0) or as are asked for, in order. Stages have thread pools of their own: called from one of rayon's
/// workers, a step would begin other scenes while it waits.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], threads: usize, map: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, threads) = (AtomicUsize::new(0), if threads == 0 { cores } else { threads });
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return done };
            done.push((number, map(item)));
        }
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.min(items.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
    });
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// A scene file and the folder in which its meshes are: its own, or that of models where they are not all there.
fn read_case(file: &Path, models: Option<&Path>) -> Result<(Case, PathBuf)> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let case = Case::from_text(&text, &file.to_string_lossy())?;
    let own = file.parent().unwrap_or(Path::new("."));
    let are_beside = case.meshes().all(|mesh| own.join(mesh).exists());
    let folder = models.filter(|_| !are_beside).unwrap_or(own);
    Ok((case, folder.to_owned()))
}

/// Judges files and prints what is found.
pub fn judge_files(files: &[PathBuf], models: Option<&Path>) -> Result<()> {
    for file in files {
        let (case, folder) = read_case(file, models)?;
        let verdict = judge(&case, &folder)?;
        let laws: Vec<&str> = verdict.checked.iter().map(|(law, _)| law.word()).collect();
        println!("{}: looked at {}", file.display(), laws.join(", "));
        for breach in &verdict.breaches {
            println!("  {}{}", line(breach), if breach.is_excused { " (excused by a warning)" } else { "" });
        }
        for warning in verdict.warnings.iter().take(3) {
            println!("  warned: {warning}");
        }
    }
    Ok(())
}

/// Plays files and prints what is measured, substep by substep and body by body.
pub fn trace_files(files: &[PathBuf], models: Option<&Path>) -> Result<()> {
    for file in files {
        let (case, folder) = read_case(file, models)?;
        let played = crate::play(&case, &folder)?;
        println!("frame body kinetic_j elastic_j work_j fallen_j fastest_m_s extent_m depth_m");
        let gravity = played.facts.gravity.unwrap_or_default();
        let mut work_j = vec![0.0; played.facts.bodies.len()];
        for (tick, samples) in played.ticks.iter().enumerate() {
            for (number, (now, body)) in samples.iter().zip(&played.facts.bodies).enumerate() {
                work_j[number] += now.work_j;
                let fallen_j = body.mass_kg * gravity.dot(now.centre - played.ticks[0][number].centre);
                let crate::BodySample { kinetic_j, elastic_j, fastest_m_s, extent_m, depth_m, .. } = now;
                println!(
                    "{:.3} {} {kinetic_j:.4e} {elastic_j:.4e} {:.4e} {fallen_j:.4e} {fastest_m_s:.4e} {extent_m:.4e} {depth_m:.3e}",
                    played.facts.frame_at(tick),
                    body.name,
                    work_j[number],
                );
            }
        }
        for (frame, (share, body)) in played.overlaps.iter().enumerate().filter(|(_, (share, _))| *share > 0.0) {
            println!("frame {frame}: overlap {share:.3e}, body {}", played.facts.bodies[*body].name);
        }
        if let Some(twin) = case.twin {
            for (frame, off) in off_by_frame(&case, twin, &played, &folder)?.iter().enumerate() {
                println!("frame {frame}: twin off by {off:.3e}");
            }
        }
        played.warnings.iter().for_each(|warning| println!("warned: {warning}"));
        played.error.iter().for_each(|error| println!("error: {error}"));
    }
    Ok(())
}

/// The scenes of a folder by name, in order.
pub fn kept(folder: &Path) -> Result<Vec<(String, Case)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "toml") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all.push((name.clone(), Case::from_text(&std::fs::read_to_string(&path)?, &name)?));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// Judges the seeds of the suite and every kept scene, and writes `known.toml` anew. Some of those need the meshes of `models`.
pub fn renew_known(folder: &Path, seeds: u64, models: Option<&Path>) -> Result<()> {
    let mut cases: Vec<(String, Case)> =
        (1..=seeds).map(|seed| (format!("seed {seed}"), generate(seed, &[]))).collect();
    cases.extend(kept(&folder.join("scenes"))?);
    let one = |(name, case): &(String, Case)| -> Result<(String, Verdict)> {
        let meshes = if case.has_meshes() { models.context("kept scenes need meshes: give --models")? } else { folder };
        Ok((name.clone(), judge(case, meshes)?))
    };
    let judged: Vec<_> = in_parallel(&cases, 0, one).into_iter().collect::<Result<_>>()?;
    let file = folder.join("known.toml");
    let old = known::read(&std::fs::read_to_string(&file)?)?;
    let text = known::renewed(&old, &judged);
    println!("{} faults known, {} before", known::read(&text)?.len(), old.len());
    Ok(std::fs::write(file, text)?)
}

/// Meshes of tetrahedra beyond this are left out: their points are taken as they are, and a scene is to be one of seconds.
const MOST_TET_POINTS: usize = 500;

/// Meshes that bodies may be drawn from, by name; what cannot be read is left out.
pub fn meshes_in(folder: &Path) -> Vec<MeshFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut meshes: Vec<MeshFile> = entries.filter_map(|entry| mesh_file(&entry.path())).collect();
    meshes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    meshes
}

fn mesh_file(path: &Path) -> Option<MeshFile> {
    let points = match path.extension()?.to_str()? {
        "obj" | "off" => sinew_io::read_surface(path).ok()?.positions,
        "mesh" => sinew_io::read_tets(path).ok()?.positions,
        _ => return None,
    };
    let is_drawn = path.extension()? != "mesh" || points.len() <= MOST_TET_POINTS;
    let reach = points.iter().fold(0.0f64, |reach, x| reach.max(x.abs().max_element()));
    let name = path.file_name()?.to_str()?.to_owned();
    (is_drawn && reach > 0.0).then_some(MeshFile { name, size: 2.0 * reach })
}

fn line(breach: &Breach) -> String {
    let Breach { law, figure, body, solver, frame, .. } = breach;
    format!("{} {figure:.3e} (at most {:e}), body {body}, {solver}, frame {frame:.1}", law.word(), law.bound())
}

/// Shares of scenes that fail, by law and solver and by law and family.
fn tables(judged: &[Judged]) -> String {
    let mut by_solver: BTreeMap<(Law, &str), (usize, usize)> = BTreeMap::new();
    let mut by_family: BTreeMap<(Law, &str), (usize, usize)> = BTreeMap::new();
    for Judged { case, verdict, .. } in judged {
        for (law, solver) in &verdict.checked {
            by_solver.entry((*law, solver)).or_default().1 += 1;
        }
        let mut laws: Vec<Law> = verdict.checked.iter().map(|(law, _)| *law).collect();
        laws.sort_unstable();
        laws.dedup();
        for law in laws {
            by_family.entry((law, &case.family)).or_default().1 += 1;
        }
        for breach in verdict.faults() {
            by_solver.entry((breach.law, breach.solver)).or_default().0 += 1;
            by_family.entry((breach.law, &case.family)).or_default().0 += 1;
        }
    }
    let failing = judged.iter().filter(|one| one.verdict.faults().next().is_some()).count();
    let secs: f64 = judged.iter().map(|one| one.secs).sum();
    let mut text = format!(
        "{} scenes, {failing} fall short of a law ({:.1} %), {secs:.0} s of one core\n\n",
        judged.len(),
        100.0 * failing as f64 / judged.len().max(1) as f64
    );
    text += &table("solver", &by_solver);
    text += &table("family", &by_family);
    let mut slow: Vec<(&Judged, f64)> = judged.iter().map(|one| (one, one.secs)).collect();
    slow.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (one, secs) in slow.iter().take(5) {
        let _ = writeln!(text, "slow: seed {} ({}) took {secs:.1} s", one.seed, one.case.family);
    }
    for one in judged {
        for breach in one.verdict.faults() {
            let _ = writeln!(text, "seed {} ({}): {}", one.seed, one.case.family, line(breach));
        }
    }
    text
}

/// "failed/looked at" for each law and column.
fn table(what: &str, counts: &BTreeMap<(Law, &str), (usize, usize)>) -> String {
    let mut columns: Vec<&str> = counts.keys().map(|(_, column)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut text =
        format!("| law by {what} | {} | all |\n| --- |{}\n", columns.join(" | "), " --- |".repeat(columns.len() + 1));
    for law in Law::ALL {
        let of = |column: &&str| counts.get(&(law, *column)).copied().unwrap_or_default();
        let cells: Vec<String> = columns
            .iter()
            .map(|column| match of(column) {
                (_, 0) => String::new(),
                (failed, looked) => format!("{failed}/{looked}"),
            })
            .collect();
        let (failed, looked) = columns.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let _ = writeln!(text, "| {} | {} | {failed}/{looked} |", law.word(), cells.join(" | "));
    }
    text + "\n"
}

/// The smallest scenes for each law and solver that fails: file name, text, and a line for the summary.
fn shrink(judged: &[Judged], options: &Options, folder: &Path) -> Vec<(String, String, String)> {
    let mut chosen: Vec<(&Judged, &Breach)> = Vec::new();
    // Quick scenes first: they are played a hundred times.
    let mut order: Vec<&Judged> = judged.iter().collect();
    order.sort_by(|a, b| a.secs.total_cmp(&b.secs));
    for one in order {
        for breach in one.verdict.faults() {
            let same = |other: &&(&Judged, &Breach)| other.1.law == breach.law && other.1.solver == breach.solver;
            if chosen.iter().filter(same).count() < options.shrink {
                chosen.push((one, breach));
            }
        }
    }
    let each = |(one, breach): &(&Judged, &Breach)| {
        let (small, found) = minimise(&one.case, breach.law, folder)?;
        let head = format!("# law: {}\n# found: {}\n# seed: {}\n", breach.law.word(), line(&found), one.seed);
        let name = format!("{}-{}-{}.toml", breach.law.word(), breach.solver, one.seed);
        let told = format!("- {name}: {}", line(&found));
        Some((name, head + &small.to_text(), told))
    };
    let mut kept: Vec<_> = in_parallel(&chosen, options.threads, each).into_iter().flatten().collect();
    kept.sort();
    kept
}
