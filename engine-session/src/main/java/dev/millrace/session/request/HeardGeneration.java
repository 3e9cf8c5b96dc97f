package dev.millrace.session.request;

/** A generation that somebody wants to hear of. For one thread at a time. */
public interface HeardGeneration {
    /** Notes a token. */
    void generated();

    /**
     * Notes the end.
     *
     * @param prompt the tokens of the prompt
     * @param cached those of them that were known
     * @param outcome the reason for the end
     */
    void ended(int prompt, int cached, String outcome);
}
