/** A key that was just made is the chosen one, and what Delete removes. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { makeActions } from '../actions/actions';
import { Session } from '../client/session.svelte';
import type { Command, DocumentInfo, Json, SceneInfo, Transport } from '../document/generated/protocol';
import { Schema } from '../document/schema';
import { Gizmo } from '../tools/gizmo/gizmo.svelte';
import { registry } from '../workspace/registry';
import type { Scope } from '../workspace/scope';
import { Studio } from '../workspace/studio.svelte';
import { chooseKey, chosenKey } from './chosen';
import { shapeKeysOf } from './read';
import './workspace';

const TRACK = 'body.ball.director.shape';
const sceneWith = (...frames: number[]): Json => ({ body: [{ name: 'ball', director: [{ name: 'shape', kind: 'key_shapes', keys: frames.map((frame) => ({ frame })) }] }] });

let session: Session;
let studio: Studio;
let sent: Command[];
let press: (key: string) => void;
const know = (scene: Json): void => void (session.document = { scene, undo: [], redo: [] } as unknown as DocumentInfo);

beforeEach(() => {
  vi.stubGlobal('document', { documentElement: { dataset: {} } });
  session = new Session(() => {
    throw new Error('no server');
  });
  sent = [];
  vi.spyOn(session, 'send').mockImplementation((command) => void sent.push(command));
  session.scene = { bodies: [{ path: 'body.ball', name: 'ball' }], first_frame: 1, last_frame: 60 } as unknown as SceneInfo;
  session.transport = { frame: 15, shown: 15, playing: false } as unknown as Transport;
  session.pictured = 15;
  studio = new Studio(session, registry.all, [Gizmo]);
  studio.enter('keys');
  know(sceneWith(10, 20));
  const scope: Scope = { session, studio, schema: new Schema({}), get scene() { return session.document!.scene; } };
  const actions = makeActions(scope);
  press = (key) => actions.forKey(key)?.run();
  chooseKey(session, studio, shapeKeysOf(session.document?.scene, 'body.ball')[0]!);
});

const edits = (): unknown[] => sent.flatMap((command) => (command.do === 'edit' ? [command.command] : []));

describe('a key that is made', () => {
  it.each(['I', 'Shift+I'])('by %s is the one that Delete removes, not the one chosen before', (key) => {
    press(key);
    expect(sent.at(-1)).toMatchObject({ do: 'key', frame: 15, director: 'shape' });
    know(sceneWith(10, 15, 20));
    expect(chosenKey(session, studio)?.frame).toBe(15);
    expect([...studio.chosenKeys]).toEqual([`${TRACK}.keys@15`]);
    press('Delete');
    expect(edits()).toEqual([{ do: 'remove', path: `${TRACK}.keys[1]` }]);
  });

  it('by Shift+D is the one that Delete removes, not the one it was copied from', () => {
    press('Shift+D');
    expect(edits()).toHaveLength(1);
    know(sceneWith(10, 15, 20));
    expect(chosenKey(session, studio)?.frame).toBe(15);
    press('Delete');
    expect(edits()[1]).toEqual({ do: 'remove', path: `${TRACK}.keys[1]` });
  });

  it('and that is not there yet leaves the others alone', () => {
    press('Shift+I');
    press('Delete');
    expect(edits()).toEqual([]);
  });
});

describe('the chosen key', () => {
  it('is, of several, the one that was chosen last', () => {
    studio.chosenKeys = new Set([`${TRACK}.keys@20`, `${TRACK}.keys@10`, 'camera.fov_deg@3']);
    expect(chosenKey(session, studio)?.frame).toBe(10);
  });

  it('is none of another scene', () => {
    studio.forget();
    expect(chosenKey(session, studio)).toBeNull();
  });
});
