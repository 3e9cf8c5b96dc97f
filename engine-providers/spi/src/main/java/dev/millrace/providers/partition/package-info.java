/**
 * Partitioning: assigns the nodes of a graph to providers, cuts convex groups out of it and replaces each by one node.
 */
@NullMarked
package dev.millrace.providers.partition;

import org.jspecify.annotations.NullMarked;
