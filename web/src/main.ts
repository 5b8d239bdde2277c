import './ui/tokens.css';
import './ui/base.css';
import { mount } from 'svelte';
import './workspaces';
import App from './App.svelte';
import { Session, openLive } from './client/session.svelte';
import { preferences } from './workspace/preferences';
import { Gizmo } from './tools/gizmo/gizmo.svelte';
import { registry } from './workspace/registry';
import { Studio, restoreTheme } from './workspace/studio.svelte';

// The token did its work when this page was served; it does not stay in the address bar or the history.
if (location.search) history.replaceState(null, '', '/');
await preferences.load();
restoreTheme();

const target = document.getElementById('studio');
if (!target) throw new Error('index.html has no place for the studio');
const session = new Session(openLive);
preferences.connect((command) => session.send(command));
mount(App, { target, props: { session, studio: new Studio(session, registry.all, [Gizmo]) } });
