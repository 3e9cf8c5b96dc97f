/**
 * Sources of models, and inputs made for them: the catalogue of known models, the cache of downloads, plausible shapes.
 */
@NullMarked
package dev.millrace.cli.model;

import org.jspecify.annotations.NullMarked;
