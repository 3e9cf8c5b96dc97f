package dev.millrace.langchain4j;

import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatModelStreamingEvent;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.LanguageModel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Flow;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.publisher.Flux;

/**
 * A chat model that passes each piece of an answer to a handler, on threads of the engine. A handler ends an answer by the handle of its
 * context; nothing is called after that. The language model stays the caller's to close. Thread-safe.
 */
public final class MillraceStreamingChatModel implements StreamingChatModel {
    private final ChatSettings settings;

    private MillraceStreamingChatModel(ChatSettings settings) {
        this.settings = settings;
    }

    /** Creates a model with the options of a language model's files. */
    public static MillraceStreamingChatModel of(LanguageModel model) {
        return new MillraceStreamingChatModel(ChatSettings.of(model));
    }

    /**
     * Creates a model without response formats.
     *
     * @param options the options of requests that do not say otherwise
     */
    public static MillraceStreamingChatModel of(ChatGenerator chats, GenerationOptions options) {
        return new MillraceStreamingChatModel(ChatSettings.of(chats, options));
    }

    /** Returns this model with listeners, which hear of each request, of its answer and of its failure. */
    public MillraceStreamingChatModel withListeners(List<ChatModelListener> listeners) {
        return new MillraceStreamingChatModel(settings.with(listeners));
    }

    private Flux<ChatModelStreamingEvent> events(ChatRequest request) {
        return Flux.defer(() -> settings.asked(request).events()).onErrorMap(EngineErrors::mapped);
    }

    @Override
    public void doChat(ChatRequest request, StreamingChatResponseHandler handler) {
        events(request).subscribe(new HandlerSubscriber(handler));
    }

    /** Returns a publisher that generates on demand. Cancelling a subscription ends its generation. */
    @Override
    public Flow.Publisher<ChatModelStreamingEvent> doChat(ChatRequest request) {
        return JdkFlowAdapter.publisherToFlowPublisher(events(request));
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
