/**
 * What the page knows of the running show. Panels read its state; the viewport gets models and frames directly,
 * because sixty pictures a second are no business of a panel.
 */
import type { Command, Event, Hit, SceneInfo, Transport } from '../document/generated/protocol';
import { WIRE_VERSION } from '../document/generated/protocol';
import { History } from '../document/history';
import type { Ray } from '../document/vector';
import { Connection, type LinkState, type Socket } from './connection';
import type { Frame, Message, Model } from './wire';

/** Where models and frames go. */
export interface Screen {
  open(scene: SceneInfo): void;
  addModel(model: Model): void;
  show(frame: Frame): void;
}

export class Session {
  link = $state<LinkState>('connecting');
  scene = $state.raw<SceneInfo | null>(null);
  transport = $state.raw<Transport | null>(null);
  /** The frame on screen and what simulating it took. */
  frame = $state(0);
  stepMs = $state(0);
  heightsM = $state.raw<number[]>([]);
  historyRevision = $state(0);
  selected = $state(0);
  refused = $state<string | null>(null);
  /** Whether this page holds a body. */
  holding = $state(false);
  readonly history = new History();
  private screen: Screen | null = null;
  private readonly connection: Connection;
  private nextPick = 1;
  private readonly picks = new Map<number, (hit: Hit | null) => void>();

  constructor(open: () => Socket) {
    this.connection = new Connection(
      { open },
      {
        link: (state, why) => this.setLink(state, why),
        event: (event) => this.hear(event),
        message: (message) => this.receive(message),
        unreadable: (reason) => (this.refused = `The server sent something this page cannot read: ${reason}.`),
      },
    );
  }

  start(screen: Screen): void {
    this.screen = screen;
    this.connection.connect();
  }

  send(command: Command): void {
    this.connection.send(command);
  }

  /** Asks the server which body the ray hits now. None while there is no connection. */
  pick(ray: Ray): Promise<Hit | null> {
    const id = this.nextPick++;
    return new Promise((resolve) => {
      this.picks.set(id, resolve);
      const sent = this.connection.send({ do: 'pick', id, origin: ray.origin, direction: ray.direction });
      if (!sent) this.answerPick(id, null);
    });
  }

  private setLink(state: LinkState, why?: string): void {
    this.link = state;
    if (state !== 'lost') return;
    if (why) this.refused = `The server hung up: ${why}.`;
    for (const id of [...this.picks.keys()]) this.answerPick(id, null);
  }

  private hear(event: Event): void {
    switch (event.event) {
      case 'welcome':
        if (event.wire_version !== WIRE_VERSION) {
          this.refused = 'The server was rebuilt since this page was loaded. Reload the page.';
          return;
        }
        this.refused = null;
        this.scene = event.scene;
        this.selected = Math.min(this.selected, event.scene.bodies.length - 1);
        this.history.clear();
        this.screen?.open(event.scene);
        break;
      case 'transport':
        this.transport = event;
        this.history.keep(event.recorded_from, event.recorded_to);
        break;
      case 'picked':
        this.answerPick(event.id, event.hit);
        break;
      case 'refused':
        this.refused = event.what;
        break;
    }
  }

  private receive(message: Message): void {
    if (message.kind === 'model') {
      this.screen?.addModel(message.model);
      return;
    }
    const { frame } = message;
    this.frame = frame.frame;
    this.stepMs = frame.stepMs;
    this.heightsM = frame.bodies.map((body) => body.origin[1]);
    this.history.note(frame.frame, frame.stepMs, this.heightsM);
    this.historyRevision = this.history.revision;
    this.screen?.show(frame);
  }

  private answerPick(id: number, hit: Hit | null): void {
    this.picks.get(id)?.(hit);
    this.picks.delete(id);
  }
}

/** The live connection of the server this page came from. */
export function openLive(): Socket {
  return new WebSocket(`ws://${location.host}/live`) as unknown as Socket;
}
