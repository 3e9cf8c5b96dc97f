package dev.millrace.session.generate;

/** Why a generation is over. */
public enum Ending {
    /** The last token is one of {@link GenerationOptions#stopTokens}. */
    STOP_TOKEN,
    /** There are as many tokens as were wanted. */
    MAX_TOKENS,
    /** The model sees no more tokens than it was given. */
    CONTEXT_FULL,
    /** Who hears of the tokens has heard enough: the text has what it was to stop at, say. */
    STOPPED
}
