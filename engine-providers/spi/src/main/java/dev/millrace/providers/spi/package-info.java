/** What an execution provider is: the interfaces between the engine and those who claim, compile and run parts of a graph. */
@NullMarked
package dev.millrace.providers.spi;

import org.jspecify.annotations.NullMarked;
