/** The graph: nodes, values with one producer each, attributes, subgraphs, functions and the model around them. */
@NullMarked
package dev.millrace.graph.ir;

import org.jspecify.annotations.NullMarked;
