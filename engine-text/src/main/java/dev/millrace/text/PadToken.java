package dev.millrace.text;

/**
 * A token that pads encodings.
 *
 * @param type the type of padding, as BERT has 0 and 1
 * @param isLeft whether it stands before the text
 */
public record PadToken(int id, String text, int type, boolean isLeft) {}
