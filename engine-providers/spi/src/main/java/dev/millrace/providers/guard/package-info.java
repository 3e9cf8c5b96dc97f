/**
 * The boundary between the engine and the code of providers: a failure of a provider becomes an engine error that names
 * it.
 */
@NullMarked
package dev.millrace.providers.guard;

import org.jspecify.annotations.NullMarked;
