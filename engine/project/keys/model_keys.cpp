// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/project/keys/section_keys.h"

namespace meshreel {

std::vector<ProjectKey> modelKeys() {
    return {
        {.name = "pretrained_model_name_or_path",
         .member = &Project::model,
         .section = "Task & model",
         .title = "Model",
         .help =
             "An installed model's name, a Hugging Face id, a checkpoint folder in diffusers layout, or a "
             "transformer's file, whose other parts are found in the models folder.",
         .level = KeyLevel::Basic,
         .form = TextForm::Model},
        {.name = "lora",
         .member = &Project::lora,
         .section = "Task & model",
         .title = "Adapters",
         .help = "Adapters (LoRA) that are merged into the transformer: a list of {file: PATH, strength: 1}, "
                 "with expert: high or low where they are made for one of Wan 2.2's two transformers.",
         .level = KeyLevel::Basic},
        {.name = "parts.transformer",
         .member = &Project::transformerFile,
         .section = "Task & model",
         .title = "Transformer",
         .help = "File or folder of the transformer's weights; of Wan 2.2's two the high-noise expert. Empty "
                 "takes the model's own.",
         .form = TextForm::File},
        {.name = "parts.transformer_2",
         .member = &Project::transformer2File,
         .section = "Task & model",
         .title = "Second transformer",
         .help = "File or folder of Wan 2.2's low-noise expert. Empty takes the model's own.",
         .form = TextForm::File},
        {.name = "parts.text_encoder",
         .member = &Project::textEncoderFile,
         .section = "Task & model",
         .title = "Text encoder",
         .help = "File or folder of the text encoder (UMT5-XXL). Empty takes the model's own.",
         .form = TextForm::File},
        {.name = "parts.vae",
         .member = &Project::vaeFile,
         .section = "Task & model",
         .title = "VAE",
         .help = "File or folder of the VAE; Wan 2.1's has 16 channels, that of TI2V-5B 48. Empty takes the "
                 "model's own.",
         .form = TextForm::File},
        {.name = "parts.image_encoder",
         .member = &Project::imageEncoderFile,
         .section = "Task & model",
         .title = "Image encoder",
         .help = "File or folder of the image encoder (CLIP ViT-H) of image-to-video models. Empty takes the "
                 "model's own.",
         .form = TextForm::File},
        {.name = "parts.tokenizer",
         .member = &Project::tokenizerFile,
         .section = "Task & model",
         .title = "Tokenizer",
         .help =
             "Folder of the tokenizer, or its tokenizer.json or spiece.model. Empty takes the model's own.",
         .form = TextForm::File},
    };
}

}  // namespace meshreel
