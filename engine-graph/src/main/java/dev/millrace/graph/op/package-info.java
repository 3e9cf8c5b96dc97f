/** What the operators of each opset take and give: schemas as data, and the check of a node against them. */
@NullMarked
package dev.millrace.graph.op;

import org.jspecify.annotations.NullMarked;
