package dev.millrace.kotlin

import dev.millrace.models.FetchedModel
import dev.millrace.models.ModelFiles
import dev.millrace.models.ModelName
import dev.millrace.session.Engine
import dev.millrace.session.Session
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runInterruptible
import java.nio.file.Path

/** The file of a model by its path or its name: `modelFile("hf:org/name/onnx/model.onnx")`. It is fetched if it is not there. */
public fun modelFile(
    name: String,
    files: ModelFiles = ModelFiles.ofEnvironment(),
): Path = if (ModelName.isName(name)) files.fetch(ModelName.parse(name)).file() else Path.of(name)

/** Creates a session of a model by its path or its name: `engine.model("hf:org/name/onnx/model.onnx")`. */
public fun Engine.model(
    name: String,
    files: ModelFiles = ModelFiles.ofEnvironment(),
    configure: SessionConfiguration.() -> Unit = {},
): Session = session(modelFile(name, files), configure)

/** Creates a session of a model by its path or its name without blocking the caller's thread; cancelling stops the download. */
public suspend fun Engine.openModel(
    name: String,
    files: ModelFiles = ModelFiles.ofEnvironment(),
    configure: SessionConfiguration.() -> Unit = {},
): Session = openSession(runInterruptible(Dispatchers.IO) { modelFile(name, files) }, configure)

/** The engine of notebooks and scripts, which lasts as long as the program. Its threads are daemons. */
private val notebookEngine: Engine by lazy { engine() }

/**
 * Creates a session of a model by its path or its name, for notebooks and scripts: `val minilm = model("minilm.onnx")`. Its engine lasts
 * as long as the program; services create their own.
 */
public fun model(
    name: String,
    files: ModelFiles = ModelFiles.ofEnvironment(),
    configure: SessionConfiguration.() -> Unit = {},
): Session = notebookEngine.model(name, files, configure)

/** The files of a name without blocking the caller's thread; cancelling stops the download. */
public suspend fun ModelFiles.fetch(name: String): FetchedModel =
    runInterruptible(Dispatchers.IO) { fetch(ModelName.parse(name)) }
