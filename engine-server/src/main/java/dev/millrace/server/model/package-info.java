/** Served models: sessions, batches, sequences, ensembles and language models behind one interface. */
@NullMarked
package dev.millrace.server.model;

import org.jspecify.annotations.NullMarked;
