package dev.millrace.cli;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.OpId;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;

/** The result of a command: exit code, standard output, standard error. */
record Command(int code, String out, String err) {
    static Command millrace(Object... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        CommandLine line = RootCommand.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        String[] words = new String[arguments.length];
        Arrays.setAll(words, i -> arguments[i].toString());
        return new Command(line.execute(words), out.toString(), err.toString());
    }

    /** Writes a model of opset 21 whose graph {@code made} builds. */
    static Path model(Path file, Consumer<GraphEditor> made) {
        var editor = new GraphEditor(Graph.named("made"));
        made.accept(editor);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        var model = new Model(header, Map.of(OpId.ONNX, 21), Map.of("licence", "free"), Map.of(), editor.graph(), null);
        Models.write(model, file, WriteOptions.inline());
        return file;
    }
}
