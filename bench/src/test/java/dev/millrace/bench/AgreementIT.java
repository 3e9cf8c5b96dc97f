package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Real models give the peer's answers, optimised and not. */
class AgreementIT {
    /** The flags of a command line, parsed as the command does. */
    @Command
    static final class Flags {
        @Mixin
        private SessionFlags session = new SessionFlags();

        static SessionFlags of(String... arguments) {
            var flags = new Flags();
            new CommandLine(flags).parseArgs(arguments);
            return flags.session;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "minilm,true",
        "minilm,false",
        "silero-vad,true",
        "silero-vad,false",
        "ppocr-cls,true",
        "ppocr-cls,false",
        "blazeface,true",
        "blazeface,false"
    })
    void theAnswersAgree(String name, boolean optimise) throws Exception {
        ModelArgument model;
        try {
            model = ModelArgument.of(name);
        } catch (EngineException e) {
            System.out.println("skipped: model " + name + " cannot be fetched here: " + e.getMessage());
            return;
        }
        SessionFlags flags = optimise ? Flags.of() : Flags.of("--no-optimize");
        try (Engine engine = flags.engine();
                var ours = new Millrace(engine, model.file(), flags.options());
                var peer = new OnnxRuntime(model.file(), 1, OptLevel.ALL_OPT)) {
            ours.create();
            peer.create();
            for (long seed = 1; seed <= 3; seed++) {
                Inputs inputs = new InputMaker(model.known(), Map.of(), seed).make(ours.inputs());
                assertThat(Answers.maxAbsDiff(ours.answer(inputs), peer.answer(inputs)))
                        .isLessThanOrEqualTo(1e-4);
            }
        }
    }
}
