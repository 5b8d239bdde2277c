/** The workspaces of the page, a line each, in the order of their buttons. Loading one registers it. */
import './staging/workspace';
import './fields/workspace';
import './metaphors/workspace';
import './keys/workspace';
import './motion/workspace';
