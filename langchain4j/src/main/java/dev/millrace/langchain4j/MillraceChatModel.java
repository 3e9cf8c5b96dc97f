package dev.millrace.langchain4j;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.Completion;
import dev.millrace.text.LanguageModel;

/** A chat model that answers on the calling thread. The language model stays the caller's to close. Thread-safe. */
public final class MillraceChatModel implements ChatModel {
    private final ChatGenerator chats;
    private final GenerationOptions options;

    private MillraceChatModel(ChatGenerator chats, GenerationOptions options) {
        this.chats = chats;
        this.options = options;
    }

    /** Creates a model with the options of a language model's files. */
    public static MillraceChatModel of(LanguageModel model) {
        return of(model.chats(), model.defaults());
    }

    /**
     * Creates a model.
     *
     * @param options the options of requests that do not say otherwise
     */
    public static MillraceChatModel of(ChatGenerator chats, GenerationOptions options) {
        return new MillraceChatModel(chats, options);
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        Completion answer = ChatConversion.stopping(chats, request.parameters())
                .run(
                        ChatConversion.messages(request.messages()),
                        ChatConversion.options(request.parameters(), options));
        return ChatConversion.response(answer.text(), answer.usage(), answer.ending());
    }
}
