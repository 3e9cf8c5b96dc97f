package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.Adapter;
import dev.millrace.text.Chat;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.Completion;
import dev.millrace.text.LanguageModel;
import dev.millrace.text.ModelFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Talks with a language model in the terminal. */
@Command(
        name = "chat",
        mixinStandardHelpOptions = true,
        description =
                "Talks with a language model: each line of the standard input is answered, with the lines before in"
                        + " mind. /help lists what else a line can say.")
final class ChatCommand implements Callable<Integer> {
    private static final String PROMPT = "> ";
    private static final String HELP = """
        /reset          begin a new chat
        /system TEXT    begin a new chat with this system message
        /stats          show or hide the pace of answers
        /help           show this list
        /exit           end, as the end of the input does
        A line that ends with \\ goes on in the next one.\
        """;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "FOLDER", description = ModelArgument.FOLDER_DESCRIPTION)
    private String model = "";

    @Option(names = "--system", paramLabel = "TEXT", description = "Begin with this system message.")
    private @Nullable String system;

    @Option(names = "--stats", description = "Print the pace of each answer to the standard error.")
    private boolean stats;

    @Mixin
    private GenerationFlags generation = new GenerationFlags();

    @Mixin
    private ConstraintFlags constraint = new ConstraintFlags();

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        constraint.check();
        ModelFolder folder = ModelFolder.read(ModelArgument.withFolder(model).file());
        GenerationOptions options = generation.over(folder.defaults());
        long opening = System.nanoTime();
        try (Engine engine = flags.engine();
                LanguageModel opened = LanguageModel.open(engine, folder, flags.options())) {
            GenerationOptions.Builder complete =
                    options.toBuilder().constraint(constraint.constraint(opened.tokenizer()));
            generation.bias(complete, opened.tokenizer());
            Adapter adapter = generation.adapter();
            LanguageModel adapted = adapter == null ? opened : opened.with(adapter);
            Chat chat = adapted.chats().stoppingAt(generation.stops()).chat(complete.build());
            if (system != null) {
                chat.add(ChatMessage.system(system));
            }
            talk(chat, opening);
        }
        return ExitCode.OK;
    }

    private void talk(Chat begun, long opening) throws IOException {
        // the terminal's input stays open, as it is the process's own
        var in = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        PrintWriter out = spec.commandLine().getOut();
        boolean isTerminal = System.console() != null && System.console().isTerminal();
        long opened = opening;
        while (true) {
            if (isTerminal) {
                out.print(PROMPT);
                out.flush();
            }
            String line = line(in);
            if (line == null || line.equals("/exit")) {
                return;
            }
            if (line.startsWith("/")) {
                order(line, begun, out);
            } else if (!line.isBlank()) {
                try {
                    answer(line, begun, opened, out);
                } catch (EngineException e) {
                    if (!isTerminal) {
                        throw e;
                    }
                    spec.commandLine().getErr().println(e.getMessage());
                }
                opened = 0;
            }
        }
    }

    /** Reads a line, which goes on where it ends with a backslash; null at the end of the input. */
    private static @Nullable String line(BufferedReader in) throws IOException {
        String line = in.readLine();
        while (line != null && line.endsWith("\\")) {
            String next = in.readLine();
            line = line.substring(0, line.length() - 1) + (next == null ? "" : "\n" + next);
            if (next == null) {
                return line;
            }
        }
        return line;
    }

    private void order(String line, Chat chat, PrintWriter out) {
        if (line.equals("/reset")) {
            chat.reset();
        } else if (line.startsWith("/system ")) {
            chat.begin(ChatMessage.system(line.substring("/system ".length()).strip()));
        } else if (line.equals("/stats")) {
            stats = !stats;
        } else {
            if (!line.equals("/help")) {
                out.println("there is no " + line + ":");
            }
            out.println(HELP);
        }
    }

    private void answer(String line, Chat chat, long opening, PrintWriter out) {
        var pace = new GenerationPace(opening);
        Completion completion = chat.say(line, part -> {
            pace.heard();
            out.print(part);
            out.flush();
        });
        out.println();
        if (stats) {
            spec.commandLine().getErr().println(pace.text(completion));
        }
    }
}
