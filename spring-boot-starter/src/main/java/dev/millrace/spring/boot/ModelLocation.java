package dev.millrace.spring.boot;

import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;

/**
 * A model as a property names it: a path, a URL such as {@code classpath:minilm.onnx}, or the name of a file of a hub or a package. A path
 * may be that of a folder, with the model in {@code model.onnx} or {@code onnx/model.onnx}.
 *
 * @param model the file of the model
 */
public record ModelLocation(Resource model) {
    private static final String NESTED = "onnx/model.onnx";

    /**
     * Returns the location of a property's text. A name such as {@code hf:ORG/NAME/onnx/model.onnx} or
     * {@code mvn:GROUP:ARTIFACT:VERSION/FILE} is fetched, unless it was fetched before.
     */
    public static ModelLocation of(String text, ResourceLoader resources) {
        if (ResourceUtils.isUrl(text)) {
            return new ModelLocation(resources.getResource(text));
        }
        Path path = isName(text)
                ? ModelFiles.ofEnvironment()
                        .fetchWithFolder(ModelName.parse(text))
                        .file()
                : Path.of(text);
        if (Files.isDirectory(path)) {
            Path nested = path.resolve(NESTED);
            path = Files.isRegularFile(nested) ? nested : path.resolve("model.onnx");
        }
        return new ModelLocation(new FileSystemResource(path));
    }

    /** Whether a text is the name of a file of a hub or a package. */
    public static boolean isName(String text) {
        return !ResourceUtils.isUrl(text) && ModelName.isName(text);
    }

    /** Returns a file beside the model. It lies in the folder above where the model's folder is {@code onnx}. */
    public Resource beside(String name) throws IOException {
        Resource beside = model.createRelative(name);
        Resource above = model.createRelative("../" + name);
        return !beside.exists() && model.getURL().getPath().endsWith("/" + NESTED) ? above : beside;
    }

    Session session(Engine engine, SessionOptions options) throws IOException {
        return model.isFile()
                ? engine.session(model.getFile().toPath(), options)
                : engine.session(model.getContentAsByteArray(), options);
    }
}
