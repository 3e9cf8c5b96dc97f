@NullMarked
package dev.millrace.graph.composite;

import org.jspecify.annotations.NullMarked;
