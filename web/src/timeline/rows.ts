/** The dope sheet's rows: what was simulated, what workspaces put there, the channels with keys under whose they are, and what was measured. */
import type { Session } from '../client/session.svelte';
import { curveOf, numberAt } from '../document/channel';
import { type Channel, channelsOf } from '../document/channels';
import { type Json, inWords, isTable, valueAt } from '../document/scene';
import { shown, steady } from '../document/units';
import { measure, milliseconds } from '../document/words';
import { directorIcon } from '../parts/adding';
import type { IconName } from '../ui/icons';
import type { Studio } from '../workspace/studio.svelte';
import type { DopeRow } from '../workspace/tracks';
import { eventRows } from './events';

export function dopeRows(session: Session, studio: Studio): DopeRow[] {
  const scene = session.document?.scene;
  const { frame } = session;
  const transport = session.staged ? session.transport : null;
  const rows: DopeRow[] = [
    {
      id: 'recorded', icon: 'film', name: 'Simulation', level: 0, path: null,
      value: transport ? `${transport.recorded_from}–${transport.recorded_to}` : '',
      track: { kind: 'recorded', label: session.takes.shown && session.takes.instead ? `Take ${session.takes.shown}` : session.staged ? 'Live simulation' : '' },
    },
  ];
  rows.push(...handRows(session));
  rows.push(...studio.workspaces.flatMap(({ timeline }) => timeline?.rows?.(session, studio) ?? []));
  const channels = channelsOf(scene);
  // A director's own row stands over its keys; those without keys come first.
  const owners = studio.workspaces.flatMap(({ timeline }) => timeline?.owners?.(session, studio) ?? []);
  rows.push(...owners.filter(({ path }) => !channels.some(({ owner }) => owner === path)));
  let owner = '';
  for (const channel of channels) {
    if (channel.owner !== owner) {
      owner = channel.owner;
      rows.push(owners.find(({ path }) => path === owner) ?? ownerRow(owner, channel.ownerName, channels));
    }
    const curve = curveOf(channel.json)!;
    rows.push({
      id: channel.path, icon: 'key', name: channel.name, level: 1, path: channel.owner,
      value: steady(numberAt(channel.json, frame) ?? 0),
      track: { kind: 'keys', path: channel.path, keys: curve.keys.map((key) => ({ at: key.at, value: key.value, held: key.shape === 'step' })) },
    });
  }
  rows.push(
    {
      id: 'height', icon: 'curve', name: 'Height', value: `${measure(session.heightsM[session.selected] ?? NaN)} m`, level: 0, path: null,
      track: { kind: 'plot', colour: '--dir-3', fromZero: false, at: (at) => session.history.heightAt(session.selected, at) },
    },
    {
      id: 'step', icon: 'meter', name: 'Step time', value: `${milliseconds(session.stepMs)} ms`, level: 0, path: null,
      track: { kind: 'plot', colour: '--force', fromZero: true, at: (at) => (at === session.scene?.first_frame ? undefined : session.history.stepMsAt(at)) },
    },
  );
  return rows;
}

/** What hands do, a row for each body. */
function handRows({ document, scene }: Session): DopeRow[] {
  const fps = scene ? scene.fps[0] / scene.fps[1] : 24;
  return eventRows(document?.scene, fps).map(({ body, name, clips }) => ({
    id: `events:${body}`, icon: clips.some((clip) => clip.kind === 'pull') ? 'hand' : 'touch', name: `${name} · hands`, level: 0, path: body,
    value: clips.length === 1 ? '1 event' : `${clips.length} events`, track: { kind: 'events', clips },
  }));
}

/** Whose keys follow, with all of their frames. */
function ownerRow(owner: string, name: string, channels: readonly Channel[]): DopeRow {
  const frames = channels.filter((each) => each.owner === owner).flatMap((each) => curveOf(each.json)?.keys.map((key) => key.at) ?? []);
  return { id: `owner:${owner}`, icon: ownerIcon(owner), name, value: '', level: 0, path: owner, track: { kind: 'summary', frames: [...new Set(frames)] } };
}

function ownerIcon(owner: string): IconName {
  if (owner === 'camera' || owner === 'light') return owner;
  if (owner === 'medium') return 'water';
  if (owner.startsWith('obstacle')) return 'obstacle';
  if (owner.includes('.director')) return 'curve';
  return owner.startsWith('body') ? 'body' : 'scene';
}

/** A director's own icon where the scene tells its kind. */
export function iconOf(scene: Json | undefined, studio: Studio, row: DopeRow): IconName {
  if (!row.path?.includes('.director')) return row.icon;
  const director = valueAt(scene, row.path);
  return row.level === 0 && isTable(director) ? directorIcon(studio, director) : row.icon;
}

export const keyInWordsOf = (row: DopeRow, at: number, value: number): string => `${row.path ? inWords(row.path.split('.').at(-1) ?? '') : ''} ${row.name}, frame ${at}, ${shown(value, 0.01)}`.trim();
