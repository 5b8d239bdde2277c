import { describe, expect, it } from 'vitest';
import { Connection, type Listener, type Socket } from './connection';

class FakeSocket implements Socket {
  binaryType = '';
  readyState = 0;
  onopen: (() => void) | null = null;
  onclose: ((end: { reason: string }) => void) | null = null;
  onmessage: ((message: { data: unknown }) => void) | null = null;
  sent: string[] = [];
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.drop();
  }
  accept(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  drop(): void {
    this.readyState = 3;
    this.onclose?.({ reason: 'gone' });
  }
}

function setup() {
  const sockets: FakeSocket[] = [];
  const heard: string[] = [];
  const waits: { run: () => void; ms: number }[] = [];
  const listener: Listener = {
    link: (state, why) => heard.push(why ? `${state}: ${why}` : state),
    event: (event) => heard.push(event.event),
    message: (message) => heard.push(message.kind),
    unreadable: () => heard.push('unreadable'),
  };
  const open = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const connection = new Connection({ open, retryMs: [10, 20], later: (run, ms) => waits.push({ run, ms }) }, listener);
  connection.connect();
  return { sockets, heard, waits, connection };
}

describe('a connection', () => {
  it('comes back when it breaks, waiting longer each time and starting over once it worked', () => {
    const { sockets, heard, waits } = setup();
    sockets[0]!.accept();
    for (let i = 0; i < 3; i++) {
      sockets.at(-1)!.drop();
      waits.at(-1)!.run();
    }
    expect(waits.map(({ ms }) => ms)).toEqual([10, 20, 20]);
    sockets.at(-1)!.accept();
    sockets.at(-1)!.drop();
    expect(waits.at(-1)!.ms).toBe(10);
    expect(heard.slice(0, 4)).toEqual(['connecting', 'live', 'lost: gone', 'connecting']);
  });

  it('sends commands only while it is open', () => {
    const { sockets, connection } = setup();
    expect(connection.send({ do: 'play' })).toBe(false);
    sockets[0]!.accept();
    expect(connection.send({ do: 'seek', frame: 3 })).toBe(true);
    expect(sockets[0]!.sent).toEqual(['{"do":"seek","frame":3}']);
  });

  it('says so when it cannot read something, and goes on', () => {
    const { sockets, heard } = setup();
    sockets[0]!.accept();
    sockets[0]!.onmessage?.({ data: '{' });
    sockets[0]!.onmessage?.({ data: new ArrayBuffer(3) });
    sockets[0]!.onmessage?.({ data: '{"event":"refused","what":"no"}' });
    expect(heard.slice(2)).toEqual(['unreadable', 'unreadable', 'refused']);
  });

  it('stays closed once it was closed on purpose', () => {
    const { sockets, waits, connection } = setup();
    sockets[0]!.accept();
    connection.close();
    waits.forEach(({ run }) => run());
    expect(sockets).toHaveLength(1);
  });
});
