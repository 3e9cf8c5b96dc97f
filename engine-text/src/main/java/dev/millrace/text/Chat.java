package dev.millrace.text;

import dev.millrace.session.generate.GenerationOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * A chat with a language model. It keeps the messages, and each answer is generated from all of them. A message whose answer
 * fails or is cancelled is not kept. If the model's context is full, the oldest messages are left out, except for system
 * messages. Not for several threads at a time.
 */
public final class Chat {
    private static final String SYSTEM = "system";
    private static final String USER = "user";
    /** The part of the context that answers may use at least. */
    private static final int ANSWER_PART = 4;

    private final ChatGenerator generator;
    private final GenerationOptions options;
    private final List<ChatMessage> messages = new ArrayList<>();

    Chat(ChatGenerator generator, GenerationOptions options) {
        this.generator = generator;
        this.options = options;
    }

    /** The messages and answers so far. */
    public List<ChatMessage> messages() {
        return List.copyOf(messages);
    }

    /** Adds a message that is not answered by itself, such as a system message or one of an earlier chat. */
    public Chat add(ChatMessage message) {
        messages.add(ApiBoundary.requireArgument(message, "message"));
        return this;
    }

    /** Removes all messages, and begins again with a system message. */
    public void begin(ChatMessage system) {
        messages.clear();
        add(system);
    }

    /** Removes all messages except for the system messages at the beginning. */
    public void reset() {
        messages.subList(systemMessages(messages), messages.size()).clear();
    }

    /** Generates the answer to a text on this thread. */
    public Completion say(String text) {
        return say(text, part -> {});
    }

    /**
     * Generates the answer to a text on this thread.
     *
     * @param heard receives parts of the answer as they are generated, none of them empty
     */
    public Completion say(String text, Consumer<String> heard) {
        return say(ChatMessage.user(text), heard);
    }

    /** Generates the answer to a message, such as the result of a tool, on this thread. */
    public Completion say(ChatMessage message, Consumer<String> heard) {
        List<ChatMessage> all = with(message);
        Completion completion = generator.run(all, options, heard);
        keep(all, completion.text());
        return completion;
    }

    /** Returns the answer to a text as a stream. The chat keeps both when the stream completes. */
    public Flux<ChatDelta> stream(String text) {
        ChatMessage message = ChatMessage.user(text);
        return Flux.defer(() -> {
            List<ChatMessage> all = with(message);
            var answer = new StringBuilder();
            return generator
                    .flux(all, options)
                    .doOnNext(delta -> answer.append(delta.text()))
                    .doOnComplete(() -> keep(all, answer.toString()));
        });
    }

    private List<ChatMessage> with(ChatMessage message) {
        var all = new ArrayList<>(messages);
        all.add(ApiBoundary.requireArgument(message, "message"));
        int most = mostTokens();
        while (most > 0 && generator.tokens(all) > most && dropOldest(all)) {
            // each turn leaves one exchange out
        }
        return all;
    }

    /** Returns the number of tokens that a prompt may have, so that there is room for an answer; 0 for any. */
    private int mostTokens() {
        int context = generator.contextLength();
        return context == 0 ? 0 : context - Math.min(options.maxTokens(), context / ANSWER_PART);
    }

    /** Removes the oldest message of a user with its answers; false if it is the last one. */
    private static boolean dropOldest(List<ChatMessage> all) {
        int first = systemMessages(all);
        int next = first + 1;
        while (next < all.size() && !all.get(next).role().equals(USER)) {
            next++;
        }
        if (next >= all.size()) {
            return false;
        }
        all.subList(first, next).clear();
        return true;
    }

    private static int systemMessages(List<ChatMessage> all) {
        int count = 0;
        while (count < all.size() && all.get(count).role().equals(SYSTEM)) {
            count++;
        }
        return count;
    }

    private void keep(List<ChatMessage> all, String answer) {
        messages.clear();
        messages.addAll(all);
        messages.add(ChatMessage.assistant(answer));
    }
}
