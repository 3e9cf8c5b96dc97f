package dev.millrace.session.generate;

/** The reason why a generation has ended. */
public enum Ending {
    /** The last token is one of {@link GenerationOptions#stopTokens}. */
    STOP_TOKEN,
    /** The answer is complete: {@link GenerationOptions#constraint} allows no further token. */
    COMPLETE,
    /** The limit of tokens is reached. */
    MAX_TOKENS,
    /** The model's context is full. */
    CONTEXT_FULL,
    /** The receiver of the tokens has stopped the generation, say because the text contains a stop string. */
    STOPPED
}
