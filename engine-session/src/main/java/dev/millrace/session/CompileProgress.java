package dev.millrace.session;

/**
 * How far a compilation is.
 *
 * @param phase what was done last
 * @param done how many phases are done
 * @param phases how many there are
 */
public record CompileProgress(String phase, int done, int phases) {}
