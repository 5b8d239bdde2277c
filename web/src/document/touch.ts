/** Which muscles respond to a touch. */
import { type Json, type Table, isTable, list } from './scene';

/** Whether a director is a muscle that responds to touch. */
export const respondsTo = (director: Json): director is Table => isTable(director) && isTable(director.respond) && list(director.respond, 'to').includes('touch');

/** Whether a muscle of the body responds to touch. */
export const respondsToTouch = (body: Json | undefined): boolean => list(body, 'director').some(respondsTo);
