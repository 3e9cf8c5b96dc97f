package dev.millrace.langchain4j;

import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.LanguageModel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import reactor.core.publisher.Mono;

/** A chat model that answers on the calling thread. The language model stays the caller's to close. Thread-safe. */
public final class MillraceChatModel implements ChatModel {
    private final ChatSettings settings;

    private MillraceChatModel(ChatSettings settings) {
        this.settings = settings;
    }

    /** Creates a model with the options of a language model's files. */
    public static MillraceChatModel of(LanguageModel model) {
        return new MillraceChatModel(ChatSettings.of(model));
    }

    /**
     * Creates a model without response formats.
     *
     * @param options the options of requests that do not say otherwise
     */
    public static MillraceChatModel of(ChatGenerator chats, GenerationOptions options) {
        return new MillraceChatModel(ChatSettings.of(chats, options));
    }

    /** Returns this model with listeners, which hear of each request, of its answer and of its failure. */
    public MillraceChatModel withListeners(List<ChatModelListener> listeners) {
        return new MillraceChatModel(settings.with(listeners));
    }

    @Override
    public ChatResponse doChat(ChatRequest request) {
        return EngineErrors.mapped(() -> settings.asked(request).run());
    }

    /** Answers on threads of the engine. Cancelling the future ends the generation. */
    @Override
    public CompletableFuture<ChatResponse> doChatAsync(ChatRequest request) {
        return EngineErrors.future(Mono.defer(() -> settings.asked(request).mono()));
    }

    @Override
    public ChatRequestParameters defaultRequestParameters() {
        return settings.parameters();
    }

    @Override
    public List<ChatModelListener> listeners() {
        return settings.listeners();
    }

    @Override
    public Set<Capability> supportedCapabilities() {
        return settings.capabilities();
    }
}
