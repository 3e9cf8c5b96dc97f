/**
 * Interfaces of execution providers: between the engine and the modules that claim, compile and run parts of a graph.
 */
@NullMarked
package dev.millrace.providers.spi;

import org.jspecify.annotations.NullMarked;
