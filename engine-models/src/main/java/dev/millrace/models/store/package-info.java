/** The interface to object stores, which other modules implement. */
@NullMarked
package dev.millrace.models.store;

import org.jspecify.annotations.NullMarked;
