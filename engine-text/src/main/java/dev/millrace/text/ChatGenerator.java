package dev.millrace.text;

import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import java.util.List;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Generates the answers to chats: a template turns messages into a prompt, and a generator continues it. An answer has no
 * space at its beginning. Immutable. Any number of threads and streams may use an instance.
 */
public final class ChatGenerator {
    private final TextGenerator text;
    private final Tokenizer tokenizer;
    private final ChatTemplate template;
    private final ChatTemplate.Options format;
    private final int contextLength;

    private ChatGenerator(
            TextGenerator text,
            Tokenizer tokenizer,
            ChatTemplate template,
            ChatTemplate.Options format,
            int contextLength) {
        this.text = text;
        this.tokenizer = tokenizer;
        this.template = template;
        this.format = format;
        this.contextLength = contextLength;
    }

    /** Creates a generator. The template writes the special tokens, so the tokenizer adds none. */
    public static ChatGenerator of(Generator generator, Tokenizer tokenizer, ChatTemplate template) {
        Tokenizer plain = ApiBoundary.requireArgument(tokenizer, "tokenizer").withoutMarks();
        return new ChatGenerator(
                TextGenerator.of(generator, plain),
                plain.unbounded(),
                ApiBoundary.requireArgument(template, "template"),
                ChatTemplate.Options.defaults(),
                generator.signature().contextLength());
    }

    /** Returns this generator with other options of the template, such as tools. */
    public ChatGenerator with(ChatTemplate.Options options) {
        return new ChatGenerator(
                text, tokenizer, template, ApiBoundary.requireArgument(options, "options"), contextLength);
    }

    /** Returns this generator with further stop texts. An answer ends before the first of them. */
    public ChatGenerator stoppingAt(String... texts) {
        return new ChatGenerator(text.stoppingAt(texts), tokenizer, template, format, contextLength);
    }

    /** Returns the answer to messages as a stream, which is generated on demand. */
    public Flux<ChatDelta> flux(List<ChatMessage> messages, GenerationOptions options) {
        return text.pieces(prompt(messages), options)
                .transformDeferred(pieces -> pieces.handle(new DeltaParts(new AnswerStart()::after)));
    }

    /** Returns the answer to messages, which is generated on subscription. */
    public Mono<Completion> mono(List<ChatMessage> messages, GenerationOptions options) {
        return text.mono(prompt(messages), options).map(ChatGenerator::answer);
    }

    /** Generates the answer to messages on this thread. */
    public Completion run(List<ChatMessage> messages, GenerationOptions options) {
        return answer(text.run(prompt(messages), options));
    }

    /**
     * Generates the answer to messages on this thread.
     *
     * @param heard receives parts of the answer as they are generated, none of them empty
     */
    public Completion run(List<ChatMessage> messages, GenerationOptions options, Consumer<String> heard) {
        ApiBoundary.requireArgument(heard, "heard");
        var start = new AnswerStart();
        return answer(text.run(prompt(messages), options, part -> {
            String rest = start.after(part);
            if (!rest.isEmpty()) {
                heard.accept(rest);
            }
        }));
    }

    private static Completion answer(Completion completion) {
        return new Completion(new AnswerStart().after(completion.text()), completion.usage(), completion.ending());
    }

    /** The start of an answer, without the space that tokenizers of words put between the prompt and the answer. */
    private static final class AnswerStart {
        private boolean isOver;

        String after(String part) {
            if (isOver || part.isEmpty()) {
                return part;
            }
            isOver = true;
            return part.startsWith(" ") ? part.substring(1) : part;
        }
    }

    /** Begins a chat that keeps its messages. */
    public Chat chat(GenerationOptions options) {
        return new Chat(this, ApiBoundary.requireArgument(options, "options"));
    }

    /** Returns the prompt of messages as the template writes it. */
    public String prompt(List<ChatMessage> messages) {
        return template.render(messages, format);
    }

    /** Returns the number of tokens of the prompt of messages. */
    public int tokens(List<ChatMessage> messages) {
        return tokenizer.encode(prompt(messages)).ids().length;
    }

    /** The model's context length in tokens; 0 if it is not known. */
    int contextLength() {
        return contextLength;
    }
}
