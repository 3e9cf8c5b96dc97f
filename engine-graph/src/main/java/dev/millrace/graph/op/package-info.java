/** The operator table: the schemas of all operators by opset, as data, and the check of a node against them. */
@NullMarked
package dev.millrace.graph.op;

import org.jspecify.annotations.NullMarked;
