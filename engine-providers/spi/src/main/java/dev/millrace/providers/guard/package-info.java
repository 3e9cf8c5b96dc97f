/** The boundary between the engine and the code of providers. */
@NullMarked
package dev.millrace.providers.guard;

import org.jspecify.annotations.NullMarked;
