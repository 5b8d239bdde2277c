/** One typed connection to the studio server. It comes back by itself when it breaks. */
import type { Command, Event } from '../document/generated/protocol';
import { type Message, WireError, readMessage } from './wire';

export type LinkState = 'connecting' | 'live' | 'lost';

export interface Listener {
  /** `why` is what the server said when it hung up, if it said anything. */
  link(state: LinkState, why?: string): void;
  event(event: Event): void;
  message(message: Message): void;
  /** The server said something this page cannot read. */
  unreadable(reason: string): void;
}

/** The part of WebSocket that is used, so that tests can bring their own. */
export interface Socket {
  binaryType: string;
  readyState: number;
  onopen: (() => void) | null;
  onclose: ((end: { reason: string }) => void) | null;
  onmessage: ((message: { data: unknown }) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface Options {
  open: () => Socket;
  /** Waits between attempts, the last one over and over. */
  retryMs?: readonly number[];
  later?: (run: () => void, ms: number) => void;
}

const OPEN = 1;

export class Connection {
  private socket: Socket | null = null;
  private attempts = 0;
  private closed = false;
  private readonly retryMs: readonly number[];
  private readonly later: (run: () => void, ms: number) => void;

  constructor(
    private readonly options: Options,
    private readonly listener: Listener,
  ) {
    this.retryMs = options.retryMs ?? [250, 500, 1000, 2000];
    this.later = options.later ?? ((run, ms) => void setTimeout(run, ms));
  }

  connect(): void {
    if (this.closed) return;
    const socket = this.options.open();
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    this.listener.link('connecting');
    socket.onopen = () => {
      this.attempts = 0;
      this.listener.link('live');
    };
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = ({ reason }) => this.retry(reason);
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  /** Sends a command; while there is no connection it is dropped, for it speaks about what is on screen now. */
  send(command: Command): boolean {
    if (this.socket?.readyState !== OPEN) return false;
    this.socket.send(JSON.stringify(command));
    return true;
  }

  private hear(data: unknown): void {
    try {
      if (typeof data === 'string') this.listener.event(JSON.parse(data) as Event);
      else if (data instanceof ArrayBuffer) this.listener.message(readMessage(data));
    } catch (error) {
      if (error instanceof WireError || error instanceof SyntaxError) this.listener.unreadable(error.message);
      else throw error;
    }
  }

  private retry(why: string): void {
    this.socket = null;
    this.listener.link('lost', why);
    const wait = this.retryMs[Math.min(this.attempts, this.retryMs.length - 1)] ?? 1000;
    this.attempts += 1;
    this.later(() => this.connect(), wait);
  }
}
