/** How a workspace's tools stand in the room that the stage leaves them. */

/** Pixels of a tool with the gap after it, of the rule between two groups, and of the edge around all. */
const TOOL_PX = 30;
const RULE_PX = 9;
const EDGE_PX = 6;

/** How high tools in groups are in so many columns; each group begins a row of its own. */
export function columnHeight(groups: readonly number[], columns: number): number {
  const rows = groups.reduce((sum, tools) => sum + Math.ceil(tools / columns), 0);
  return EDGE_PX + rows * TOOL_PX + Math.max(0, groups.length - 1) * RULE_PX;
}

/** As few columns as fit into a height. More than the largest group has tools would not make them lower: what is still too high scrolls. */
export function columnsFor(groups: readonly number[], roomPx: number): number {
  const most = Math.max(1, ...groups);
  for (let columns = 1; columns < most; columns++) if (columnHeight(groups, columns) <= roomPx) return columns;
  return most;
}
