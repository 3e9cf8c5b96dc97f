package dev.millrace.text;

import dev.millrace.graph.EngineException;
import java.util.List;
import java.util.Map;

/** The end of a prompt whose last message the model continues. */
final class FinalMessage {
    private FinalMessage() {}

    /**
     * Cuts a prompt after the text of the last message. Templates may strip texts, so white space at the end of the text
     * counts only if the prompt has it too.
     */
    static String cut(String prompt, List<ChatMessage> messages) {
        if (messages.isEmpty()) {
            throw EngineException.invalidArgument("there is no last message to continue");
        }
        String text = text(messages.getLast());
        String core = text.strip();
        int at = prompt.lastIndexOf(core);
        if (core.isEmpty() || at < 0) {
            throw EngineException.invalidArgument(
                    "the text of the last message is not in the prompt, so it cannot be continued");
        }
        String whole = text.stripLeading();
        return prompt.substring(0, at + (prompt.startsWith(whole, at) ? whole : core).length());
    }

    private static String text(ChatMessage message) {
        Object content = message.content();
        if (content instanceof List<?> parts && !parts.isEmpty() && parts.getLast() instanceof Map<?, ?> part) {
            content = part.get("text");
        }
        if (content instanceof String text) {
            return text;
        }
        throw EngineException.invalidArgument("the last message has no text to continue");
    }
}
