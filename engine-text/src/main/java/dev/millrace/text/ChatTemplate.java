package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.template.Rendering;
import dev.millrace.text.template.Template;
import dev.millrace.text.template.Values;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes the messages of a chat as the prompt that a language model was trained on: the chat template of the model's folder,
 * in the part of Jinja that such templates use. Templates are not trusted: steps, depth and memory are bounded. Immutable
 * and thread-safe.
 */
public final class ChatTemplate {
    static final String DEFAULT = "default";
    private static final String TOOL_USE = "tool_use";
    private static final String PLACE = "chat template";
    private static final String TYPE = "type";
    private static final Set<String> RESERVED = Set.of("messages", "tools", "documents", "add_generation_prompt");

    private final Map<String, Template> templates;
    private final Map<String, String> specialTokens;

    ChatTemplate(Map<String, Template> templates, Map<String, String> specialTokens) {
        this.templates = Map.copyOf(templates);
        this.specialTokens = Map.copyOf(specialTokens);
    }

    /** Parses a template; special tokens such as {@code bos_token} are variables of {@link Options} then. */
    public static ChatTemplate of(String jinja) {
        ApiBoundary.requireArgument(jinja, "jinja");
        return ApiBoundary.guarded(PLACE, () -> new ChatTemplate(Map.of(DEFAULT, parsed(jinja, PLACE)), Map.of()));
    }

    /**
     * Reads the template and the special tokens of a model's folder: {@code chat_template.jinja}, or the field
     * {@code chat_template} of {@code tokenizer_config.json}.
     */
    public static ChatTemplate read(Path folder) {
        ApiBoundary.requireArgument(folder, "folder");
        return ApiBoundary.guarded(PLACE, () -> ChatTemplateFolder.read(folder));
    }

    static Template parsed(String jinja, String place) {
        try {
            return Template.parse(jinja);
        } catch (EngineException e) {
            throw e.at(place);
        }
    }

    /** Returns the prompt of messages. */
    public String render(List<ChatMessage> messages) {
        return render(messages, Options.defaults());
    }

    /** Returns the prompt of messages. */
    public String render(List<ChatMessage> messages, Options options) {
        List<ChatMessage> all = ApiBoundary.all(messages, "messages");
        ApiBoundary.requireArgument(options, "options");
        for (int i = 0; i < all.size(); i++) {
            requireText(all.get(i), i);
        }
        return ApiBoundary.guarded(PLACE, () -> {
            String prompt = rendered(all, options);
            return options.continueFinalMessage() ? FinalMessage.cut(prompt, all) : prompt;
        });
    }

    private String rendered(List<ChatMessage> messages, Options options) {
        Cancellation cancellation = options.cancellation();
        Runnable check = cancellation == null ? () -> {} : cancellation::check;
        try {
            return template(options)
                    .render(variables(messages, options), new Rendering(options.maxSteps(), options.clock(), check));
        } catch (EngineException e) {
            throw e.at(PLACE);
        }
    }

    /** Returns the template for tools, if there are tools and such a template, or else the default one. */
    private Template template(Options options) {
        Template template = options.tools().isEmpty() ? null : templates.get(TOOL_USE);
        Template chosen = template == null ? templates.get(DEFAULT) : template;
        if (chosen == null) {
            throw EngineException.invalidArgument("no template is called '" + DEFAULT + "'; there are "
                    + templates.keySet().stream().sorted().toList());
        }
        return chosen;
    }

    private Map<String, @Nullable Object> variables(List<ChatMessage> messages, Options options) {
        var variables = new LinkedHashMap<String, @Nullable Object>(specialTokens);
        variables.putAll(options.variables());
        variables.put("messages", messages.stream().map(ChatMessage::asMap).toList());
        variables.put("tools", options.tools().isEmpty() ? null : options.tools());
        variables.put("documents", options.documents().isEmpty() ? null : options.documents());
        variables.put("add_generation_prompt", options.addGenerationPrompt() && !options.continueFinalMessage());
        return variables;
    }

    private static void requireText(ChatMessage message, int index) {
        if (!(message.content() instanceof List<?> parts)) {
            return;
        }
        for (Object part : parts) {
            Object type = part instanceof Map<?, ?> map ? map.get(TYPE) : null;
            if (!"text".equals(type)) {
                throw EngineException.invalidArgument("message " + index + " has a part of the type '" + type + "'; "
                        + (String.valueOf(type).startsWith("image") ? "images are not supported" : "parts are texts"));
            }
        }
    }

    /**
     * The options of a rendering. An immutable snapshot; {@link #builder()} makes one.
     *
     * @param addGenerationPrompt whether the prompt ends with the beginning of an answer
     * @param continueFinalMessage whether the prompt ends with the text of the last message, so that the model continues
     *     it. There is no generation prompt then
     * @param tools descriptions of the tools that the model may call, as JSON schema
     * @param documents documents that the answer may use
     * @param variables further variables of the template. Special tokens given here win over those of the folder
     * @param clock the time that templates with a date show
     * @param maxSteps the largest number of steps that a rendering may take
     * @param cancellation ends the rendering; null for none
     */
    public record Options(
            boolean addGenerationPrompt,
            boolean continueFinalMessage,
            List<Map<String, @Nullable Object>> tools,
            List<Map<String, @Nullable Object>> documents,
            Map<String, @Nullable Object> variables,
            Clock clock,
            long maxSteps,
            @Nullable Cancellation cancellation) {
        private static final Options DEFAULTS = builder().build();

        public Options {
            tools = Values.copyOfMaps(ApiBoundary.requireArgument(tools, "tools"), "tools");
            documents = Values.copyOfMaps(ApiBoundary.requireArgument(documents, "documents"), "documents");
            variables = Values.copyOfMap(ApiBoundary.requireArgument(variables, "variables"), "variables");
            ApiBoundary.requireArgument(clock, "clock");
            if (maxSteps < 1) {
                throw EngineException.invalidArgument("maxSteps is " + maxSteps + "; it is at least 1");
            }
            for (String name : RESERVED) {
                if (variables.containsKey(name)) {
                    throw EngineException.invalidArgument("the variable '" + name + "' has an option of its own");
                }
            }
        }

        /** Returns options that end the prompt with the beginning of an answer. */
        public static Options defaults() {
            return DEFAULTS;
        }

        public static Builder builder() {
            return new Builder();
        }

        /** Returns a builder that starts from these options. */
        public Builder toBuilder() {
            var builder = builder()
                    .addGenerationPrompt(addGenerationPrompt)
                    .continueFinalMessage(continueFinalMessage)
                    .tools(tools)
                    .documents(documents)
                    .clock(clock)
                    .maxSteps(maxSteps)
                    .cancellation(cancellation);
            builder.variables.putAll(variables);
            return builder;
        }

        /** A builder of options of a rendering. Every option has a default. */
        public static final class Builder {
            private boolean addGenerationPrompt = true;
            private boolean continueFinalMessage;
            private List<Map<String, @Nullable Object>> tools = List.of();
            private List<Map<String, @Nullable Object>> documents = List.of();
            private final Map<String, @Nullable Object> variables = new LinkedHashMap<>();
            private Clock clock = Clock.systemDefaultZone();
            private long maxSteps = 1_000_000;
            private @Nullable Cancellation cancellation;

            private Builder() {}

            public Builder addGenerationPrompt(boolean value) {
                addGenerationPrompt = value;
                return this;
            }

            public Builder continueFinalMessage(boolean value) {
                continueFinalMessage = value;
                return this;
            }

            public Builder tools(List<? extends Map<String, ? extends @Nullable Object>> value) {
                tools = Values.copyOfMaps(ApiBoundary.requireArgument(value, "tools"), "tools");
                return this;
            }

            public Builder documents(List<? extends Map<String, ? extends @Nullable Object>> value) {
                documents = Values.copyOfMaps(ApiBoundary.requireArgument(value, "documents"), "documents");
                return this;
            }

            /** Sets a further variable of the template, such as {@code enable_thinking}. */
            public Builder variable(String name, @Nullable Object value) {
                variables.put(ApiBoundary.requireArgument(name, "name"), Values.copyOf(value, name));
                return this;
            }

            /** Sets further variables of the template. */
            public Builder variables(Map<String, ? extends @Nullable Object> all) {
                variables.putAll(Values.copyOfMap(ApiBoundary.requireArgument(all, "variables"), "variables"));
                return this;
            }

            public Builder clock(Clock value) {
                clock = value;
                return this;
            }

            public Builder maxSteps(long value) {
                maxSteps = value;
                return this;
            }

            public Builder cancellation(@Nullable Cancellation value) {
                cancellation = value;
                return this;
            }

            public Options build() {
                return new Options(
                        addGenerationPrompt,
                        continueFinalMessage,
                        tools,
                        documents,
                        variables,
                        clock,
                        maxSteps,
                        cancellation);
            }
        }
    }
}
