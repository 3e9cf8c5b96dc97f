package dev.millrace.spring.ai;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.MessageAggregator;
import org.springframework.ai.chat.observation.ChatModelObservationContext;
import org.springframework.ai.chat.observation.ChatModelObservationConvention;
import org.springframework.ai.chat.observation.ChatModelObservationDocumentation;
import org.springframework.ai.chat.observation.DefaultChatModelObservationConvention;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

/** Observations of chats as Spring AI has them for all its models. */
record ObservedModels(ObservationRegistry registry, ChatModelObservationConvention convention) {
    /** The name of this engine in observations, and in the properties that select models. */
    static final String PROVIDER = "millrace";

    ChatResponse call(Prompt prompt, Supplier<ChatResponse> answer) {
        ChatModelObservationContext context = context(prompt, false);
        return observation(context).observe(() -> {
            ChatResponse response = answer.get();
            context.setResponse(response);
            return response;
        });
    }

    Flux<ChatResponse> stream(Prompt prompt, Flux<ChatResponse> parts) {
        return Flux.deferContextual(subscriber -> {
            ChatModelObservationContext context = context(prompt, true);
            Observation observation = observation(context);
            Observation parent = parent(subscriber);
            if (parent != null) {
                observation.parentObservation(parent);
            }
            observation.start();
            Flux<ChatResponse> observed = parts.doOnError(observation::error)
                    .doFinally(end -> observation.stop())
                    .contextWrite(more -> more.put(ObservationThreadLocalAccessor.KEY, observation));
            return new MessageAggregator().aggregate(observed, context::setResponse);
        });
    }

    private static ChatModelObservationContext context(Prompt prompt, boolean isStream) {
        return ChatModelObservationContext.builder()
                .prompt(prompt)
                .provider(PROVIDER)
                .streaming(isStream)
                .build();
    }

    private Observation observation(ChatModelObservationContext context) {
        return ChatModelObservationDocumentation.CHAT_MODEL_OPERATION.observation(
                convention, new DefaultChatModelObservationConvention(), () -> context, registry);
    }

    private static @Nullable Observation parent(ContextView subscriber) {
        return subscriber.getOrDefault(ObservationThreadLocalAccessor.KEY, null);
    }
}
