/** The rules of type and shape inference by family of operators, and what they read of a node. */
@NullMarked
package dev.millrace.graph.infer.rule;

import org.jspecify.annotations.NullMarked;
