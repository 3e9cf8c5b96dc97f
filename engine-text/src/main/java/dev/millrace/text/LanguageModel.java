package dev.millrace.text;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.GeneratorOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A language model that was opened from its folder: a session, a tokenizer and a generator that ends where the model's files
 * say so. Thread-safe. Closing closes the session, and the engine if {@link #open(Path)} created it.
 */
public final class LanguageModel implements AutoCloseable {
    /** The bytes of caches that are kept by default. */
    private static final long PREFIX_BYTES = 1L << 30;

    private final ModelFolder folder;
    private final Session session;
    private final Tokenizer tokenizer;
    private final Generator tokens;
    private final TextGenerator generator;
    /** Closes what this model does not share. */
    private final Runnable closing;

    private @Nullable ChatGenerator chats;

    private LanguageModel(
            ModelFolder folder, Session session, Tokenizer tokenizer, Generator tokens, Runnable closing) {
        this.folder = folder;
        this.session = session;
        this.tokenizer = tokenizer;
        this.tokens = tokens;
        this.generator = TextGenerator.of(tokens, tokenizer);
        this.closing = closing;
    }

    /**
     * Opens a model in an engine of its own.
     *
     * @param path the folder as {@link ModelFolder} describes it, or one of its model files
     */
    public static LanguageModel open(Path path) {
        Engine engine = Engine.create();
        try {
            return open(engine, engine, ModelFolder.read(path), SessionOptions.defaults(), defaultOptions());
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /** Opens a model in an engine that stays the caller's to close. */
    public static LanguageModel open(Engine engine, Path path) {
        return open(engine, ModelFolder.read(path), SessionOptions.defaults());
    }

    /** Opens a model whose files were found, in an engine that stays the caller's to close. */
    public static LanguageModel open(Engine engine, ModelFolder folder, SessionOptions options) {
        return open(engine, folder, options, defaultOptions());
    }

    /** Opens a model whose files were found, in an engine that stays the caller's to close. */
    public static LanguageModel open(
            Engine engine, ModelFolder folder, SessionOptions options, GeneratorOptions generator) {
        return open(
                null,
                ApiBoundary.requireArgument(engine, "engine"),
                ApiBoundary.requireArgument(folder, "folder"),
                ApiBoundary.requireArgument(options, "options"),
                ApiBoundary.requireArgument(generator, "generator"));
    }

    private static LanguageModel open(
            @Nullable Engine own,
            Engine engine,
            ModelFolder folder,
            SessionOptions options,
            GeneratorOptions generator) {
        Tokenizer tokenizer = Tokenizer.read(folder.tokenizer());
        Session session = engine.session(folder.model(), options);
        try {
            Generator tokens = Generator.of(session, folder.signature(session).build(), generator);
            return new LanguageModel(folder, session, tokenizer, tokens, () -> {
                session.close();
                if (own != null) {
                    own.close();
                }
            });
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    /** Returns options that keep up to 1 GiB of caches for prompts that begin as earlier ones, such as the turns of a chat. */
    private static GeneratorOptions defaultOptions() {
        return GeneratorOptions.builder().prefixBytes(PREFIX_BYTES).build();
    }

    /**
     * Returns this model with a low-rank adapter (LoRA). Both share the session and generate at the same time. The result is
     * closed before this model; that frees its caches alone.
     */
    public LanguageModel with(Adapter adapter) {
        Generator adapted =
                tokens.with(ApiBoundary.requireArgument(adapter, "adapter").tensors());
        return new LanguageModel(folder, session, tokenizer, adapted, () -> {});
    }

    public ModelFolder folder() {
        return folder;
    }

    public Session session() {
        return session;
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    public TextGenerator generator() {
        return generator;
    }

    /**
     * Returns the generator of answers to chats, in the format of the folder's chat template. Fails with NO_SUCH_FILE if the
     * folder has none.
     */
    public synchronized ChatGenerator chats() {
        ChatGenerator made = chats;
        if (made == null) {
            made = ChatGenerator.of(tokens, tokenizer, ChatTemplate.read(folder.folder()));
            chats = made;
        }
        return made;
    }

    /** Begins a chat with the recommended options. */
    public Chat chat() {
        return chats().chat(defaults());
    }

    /** The options that the model's files recommend, with the tokens that end an answer. */
    public GenerationOptions defaults() {
        return folder.defaults();
    }

    /** Generates the text behind a prompt on this thread, with the recommended options. */
    public Completion run(String prompt) {
        return generator.run(prompt, defaults());
    }

    @Override
    public void close() {
        tokens.close();
        closing.run();
    }
}
