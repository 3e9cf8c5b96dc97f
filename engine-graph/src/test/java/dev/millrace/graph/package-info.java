/** Tests of what all packages of the graph share. */
@NullMarked
package dev.millrace.graph;

import org.jspecify.annotations.NullMarked;
