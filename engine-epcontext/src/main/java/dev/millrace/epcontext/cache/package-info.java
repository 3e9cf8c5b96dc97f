/** The folder of context models that sessions find without being told: entries, manifests, limits. */
@NullMarked
package dev.millrace.epcontext.cache;

import org.jspecify.annotations.NullMarked;
