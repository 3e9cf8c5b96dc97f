/** The intermediate representation: models, graphs, nodes, values with one producer each, attributes and functions. */
@NullMarked
package dev.millrace.graph.ir;

import org.jspecify.annotations.NullMarked;
