package dev.millrace.spring.ai;

import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.LanguageModel;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.observation.ChatModelObservationConvention;
import org.springframework.ai.chat.observation.DefaultChatModelObservationConvention;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import reactor.core.publisher.Flux;

/**
 * A chat model. A call generates on the calling thread; a stream generates on demand, on threads of the engine, and its cancellation ends the
 * generation. The language model stays the caller's to close. Thread-safe.
 */
public final class EngineChatModel implements ChatModel {
    private final ChatGenerator chats;
    private final GenerationOptions generation;
    private final ChatOptions options;
    private final ObservedModels observed;

    private EngineChatModel(Builder builder) {
        this.chats = builder.chats;
        this.generation = builder.generation;
        this.options = ToolCallingChatOptions.builder()
                .model(builder.name)
                .combineWith(builder.options.mutate())
                .build();
        this.observed = new ObservedModels(builder.registry, builder.convention);
    }

    /** Creates a model with the options of a language model's files. */
    public static EngineChatModel of(LanguageModel model) {
        return builder(model).build();
    }

    /** Returns a builder of a model with the options of a language model's files. */
    public static Builder builder(LanguageModel model) {
        return new Builder(model.chats(), model.defaults(), model.session().name());
    }

    /** The options of requests that do not say otherwise. */
    @Override
    public ChatOptions getOptions() {
        return options;
    }

    /**
     * A prompt as the engine has it.
     *
     * @param chats the generator with the tools and the stop texts of the prompt
     */
    private record Asked(
            Prompt prompt,
            ChatGenerator chats,
            List<ChatMessage> messages,
            GenerationOptions generation,
            ChatResponses responses,
            boolean hasTools) {}

    private Asked asked(Prompt prompt) {
        ChatOptions requested = prompt.getOptions();
        ChatOptions merged = requested == null
                ? options
                : options.mutate().combineWith(requested.mutate()).build();
        List<String> stops = merged.getStopSequences();
        ChatGenerator asked = stops == null || stops.isEmpty() ? chats : chats.stoppingAt(stops.toArray(String[]::new));
        boolean hasTools = Tools.in(merged);
        return new Asked(
                new Prompt(prompt.getInstructions(), merged),
                hasTools ? asked.with(Tools.describe(merged)) : asked,
                ChatRequests.messages(prompt.getInstructions()),
                ChatRequests.options(merged, generation),
                new ChatResponses(merged.getModel(), hasTools),
                hasTools);
    }

    @Override
    public ChatResponse call(Prompt prompt) {
        Asked asked = asked(prompt);
        return observed.call(
                asked.prompt(), () -> asked.responses().whole(asked.chats().run(asked.messages(), asked.generation())));
    }

    /** Streams the parts of the answer. With tools, the answer is one part, since only its end shows whether it calls them. */
    @Override
    public Flux<ChatResponse> stream(Prompt prompt) {
        return Flux.defer(() -> {
            Asked asked = asked(prompt);
            Flux<ChatResponse> parts;
            if (asked.hasTools()) {
                parts = asked.chats()
                        .mono(asked.messages(), asked.generation())
                        .map(asked.responses()::whole)
                        .flux();
            } else {
                // a prompt that is refused is observed, too
                Flux<ChatDelta> deltas = Flux.defer(() -> asked.chats().flux(asked.messages(), asked.generation()));
                parts = deltas.map(asked.responses()::part);
            }
            return observed.stream(asked.prompt(), parts);
        });
    }

    /** A builder of a chat model. */
    public static final class Builder {
        private final ChatGenerator chats;
        private final GenerationOptions generation;
        private final String name;
        private ChatOptions options = ChatOptions.builder().build();
        private ObservationRegistry registry = ObservationRegistry.NOOP;
        private ChatModelObservationConvention convention = new DefaultChatModelObservationConvention();

        private Builder(ChatGenerator chats, GenerationOptions generation, String name) {
            this.chats = chats;
            this.generation = generation;
            this.name = name;
        }

        /** Sets options for requests that do not say otherwise, over those of the model's files. */
        public Builder options(ChatOptions value) {
            options = value;
            return this;
        }

        /** Sets the registry of observations. */
        public Builder observationRegistry(ObservationRegistry value) {
            registry = value;
            return this;
        }

        /** Sets the names and keys of observations. */
        public Builder observationConvention(ChatModelObservationConvention value) {
            convention = value;
            return this;
        }

        public EngineChatModel build() {
            return new EngineChatModel(this);
        }
    }
}
