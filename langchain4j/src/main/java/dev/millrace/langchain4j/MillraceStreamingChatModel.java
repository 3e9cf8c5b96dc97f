package dev.millrace.langchain4j;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.LanguageModel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A chat model that passes each piece of an answer to a handler, on threads of the engine. The language model stays the
 * caller's to close. Thread-safe.
 */
public final class MillraceStreamingChatModel implements StreamingChatModel {
    private final ChatGenerator chats;
    private final GenerationOptions options;

    private MillraceStreamingChatModel(ChatGenerator chats, GenerationOptions options) {
        this.chats = chats;
        this.options = options;
    }

    /** Creates a model with the options of a language model's files. */
    public static MillraceStreamingChatModel of(LanguageModel model) {
        return of(model.chats(), model.defaults());
    }

    /**
     * Creates a model.
     *
     * @param options the options of requests that do not say otherwise
     */
    public static MillraceStreamingChatModel of(ChatGenerator chats, GenerationOptions options) {
        return new MillraceStreamingChatModel(chats, options);
    }

    /** The answer so far. */
    private static final class Answer {
        private final StringBuilder text = new StringBuilder();
        private @Nullable ChatDelta last;

        void add(ChatDelta delta) {
            text.append(delta.text());
            last = delta;
        }

        ChatResponse response() {
            ChatDelta end = Objects.requireNonNull(last);
            return ChatConversion.response(text.toString(), end.usage(), Objects.requireNonNull(end.ending()));
        }
    }

    @Override
    public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
        var answer = new Answer();
        ChatConversion.stopping(chats, request.parameters())
                .flux(
                        ChatConversion.messages(request.messages()),
                        ChatConversion.options(request.parameters(), options))
                .subscribe(
                        delta -> {
                            answer.add(delta);
                            if (!delta.text().isEmpty()) {
                                handler.onPartialResponse(delta.text());
                            }
                        },
                        handler::onError,
                        () -> handler.onCompleteResponse(answer.response()));
    }
}
