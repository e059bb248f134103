"""What people decided about names: every table here is written by hand, on purpose.

Only what is certain stands here; a name that is in no table has no maker, family or training
set, which the catalogue shows as unknown.
"""

METRIC_DEFAULT = "accuracy"

# The main metric of each data set in DataComp's task list, where it is not accuracy. Its 38 data
# sets are those of open_clip's results table.
OPENCLIP_METRIC = {
    "caltech101": "mean-per-class-recall",
    "fgvc_aircraft": "mean-per-class-recall",
    "flowers102": "mean-per-class-recall",
    "pets": "mean-per-class-recall",
    "flickr30k_retrieval": "mean-recall@1",
    "mscoco_retrieval": "mean-recall@1",
    "winogavil": "jaccard",
    "iwildcam": "f1-macro",
    "fmow": "accuracy-worst-region",
    "dollar_street": "accuracy-top5-worst-group",
    "geode": "accuracy-worst-group",
}

# Model (as printed) → (maker, family), for the suites of models that answer in text.
MMVET2_MAKER = {
    "OpenFlamingo-9B": ("", "OpenFlamingo"),
    "Otter-9B": ("", "Otter"),
    "LLaVA-v1.5-7B": ("LLaVA", "LLaVA"),
    "LLaVA-v1.5-13B": ("LLaVA", "LLaVA"),
    "CogAgent-Chat": ("THUDM", "CogAgent"),
    "Emu2-Chat": ("BAAI", "Emu2"),
    "IXC2-VL-7B": ("InternLM", "InternLM-XComposer2"),
    "CogVLM-Chat": ("THUDM", "CogVLM"),
    "InternVL-Chat-V1-2": ("OpenGVLab", "InternVL-Chat"),
    "LLaVA-NeXT-34B": ("LLaVA", "LLaVA"),
    "InternVL-Chat-V1-5": ("OpenGVLab", "InternVL-Chat"),
    "InternVL2-40B": ("OpenGVLab", "InternVL2"),
    "InternVL2-Llama3-76B": ("OpenGVLab", "InternVL2"),
    "Claude 3 Opus": ("Anthropic", "Claude 3"),
    "Qwen-VL-Max": ("Alibaba", "Qwen-VL"),
    "Gemini Pro Vision": ("Google", "Gemini 1.0"),
    "GPT-4V": ("OpenAI", "GPT-4"),
    "Gemini 1.5 Pro": ("Google", "Gemini 1.5"),
    "GPT-4o": ("OpenAI", "GPT-4o"),
    "Claude 3.5 Sonnet": ("Anthropic", "Claude 3.5"),
}

VQA360_FAMILY = {
    "internvl2-1b": "InternVL2",
    "qwen2-vl-2b": "Qwen2-VL",
    "paligemma-3b": "PaliGemma",
    "llava-v1.6-mistral-7b": "LLaVA",
    "qwen2-vl-7b": "Qwen2-VL",
    "internvl2-8b": "InternVL2",
    "cogvlm2-llama3-19b": "CogVLM2",
    "gemini-1.5-flash": "Gemini 1.5",
    "gemini-1.5-pro": "Gemini 1.5",
    "gpt-4o-mini": "GPT-4o",
}

# Training set → the pretrained tags of open_clip that name it.
_TAGS_OF = {
    "CLIP-WIT": ["openai"],
    "DFN-2B": ["dfn2b"],
    "DFN-5B": ["dfn5b"],
    "MetaCLIP-400M": ["metaclip_400m"],
    "MetaCLIP-2.5B": ["metaclip_fullcc"],
    "WebLI": ["webli"],
    "Merged-2B": [
        "merged2b_s11b_b114k",
        "merged2b_s4b_b131k",
        "merged2b_s6b_b61k",
        "merged2b_s8b_b131k",
    ],
    "LAION-400M": ["laion400m_e31", "laion400m_e32", "laion400m_s11b_b41k", "laion400m_s13b_b51k"],
    "LAION-2B": [
        "laion2b",
        "laion2b_e16",
        "laion2b_s4b_b115k",
        "laion2b_s9b_b144k",
        "laion2b_s12b_b32k",
        "laion2b_s12b_b42k",
        "laion2b_s13b_b82k",
        "laion2b_s13b_b82k_augreg",
        "laion2b_s13b_b90k",
        "laion2b_s26b_b102k_augreg",
        "laion2b_s29b_b131k_ft",
        "laion2b_s29b_b131k_ft_soup",
        "laion2b_s32b_b79k",
        "laion2b_s32b_b82k",
        "laion2b_s34b_b79k",
        "laion2b_s34b_b82k_augreg",
        "laion2b_s34b_b82k_augreg_rewind",
        "laion2b_s34b_b82k_augreg_soup",
        "laion2b_s34b_b88k",
        "laion2b_s39b_b160k",
    ],
    "LAION-2B, then fine-tuned on MSCOCO": ["mscoco_finetuned_laion2b_s13b_b90k"],
    "LAION-5B": ["laion5b_s13b_b90k", "frozen_laion5b_s13b_b90k"],
    "LAION-Aesthetic": ["laion_aesthetic_s13b_b82k", "laion_aesthetic_s13b_b82k_augreg"],
    "DataComp-1B": ["datacomp1b"],
    "DataComp": ["datacomp_s34b_b86k"],
    "DataComp xlarge": ["datacomp_xl_s13b_b90k"],
    "DataComp large": ["datacomp_l_s1b_b8k"],
    "DataComp medium": ["datacomp_m_s128m_b4k"],
    "DataComp small": ["datacomp_s_s13m_b4k"],
    "CommonPool xlarge": ["commonpool_xl_s13b_b90k"],
    "CommonPool xlarge, CLIP score filter": ["commonpool_xl_clip_s13b_b90k"],
    "CommonPool xlarge, LAION filter": ["commonpool_xl_laion_s13b_b90k"],
    "CommonPool large": ["commonpool_l_s1b_b8k"],
    "CommonPool large, CLIP score filter": ["commonpool_l_clip_s1b_b8k"],
    "CommonPool large, LAION filter": ["commonpool_l_laion_s1b_b8k"],
    "CommonPool large, image filter": ["commonpool_l_image_s1b_b8k"],
    "CommonPool large, text filter": ["commonpool_l_text_s1b_b8k"],
    "CommonPool large, basic filter": ["commonpool_l_basic_s1b_b8k"],
    "CommonPool medium": ["commonpool_m_s128m_b4k"],
    "CommonPool medium, CLIP score filter": ["commonpool_m_clip_s128m_b4k"],
    "CommonPool medium, LAION filter": ["commonpool_m_laion_s128m_b4k"],
    "CommonPool medium, image filter": ["commonpool_m_image_s128m_b4k"],
    "CommonPool medium, text filter": ["commonpool_m_text_s128m_b4k"],
    "CommonPool medium, basic filter": ["commonpool_m_basic_s128m_b4k"],
    "CommonPool small": ["commonpool_s_s13m_b4k"],
    "CommonPool small, CLIP score filter": ["commonpool_s_clip_s13m_b4k"],
    "CommonPool small, LAION filter": ["commonpool_s_laion_s13m_b4k"],
    "CommonPool small, image filter": ["commonpool_s_image_s13m_b4k"],
    "CommonPool small, text filter": ["commonpool_s_text_s13m_b4k"],
    "CommonPool small, basic filter": ["commonpool_s_basic_s13m_b4k"],
    "CC12M": ["cc12m"],
    "YFCC-15M": ["yfcc15m"],
    "": ["v1"],  # NLLB-CLIP: the tag does not tell
}
TRAIN_DATA = {tag: data for data, tags in _TAGS_OF.items() for tag in tags}

# Families whose maker is not the maker of the training set.
MAKER_OF_FAMILY = {"EVA01": "BAAI", "EVA02": "BAAI", "CLIPA": "UCSC-VLAA"}
MAKER_OF_TRAIN_DATA = {
    "CLIP-WIT": "OpenAI",
    "DFN-2B": "Apple",
    "DFN-5B": "Apple",
    "MetaCLIP-400M": "Meta",
    "MetaCLIP-2.5B": "Meta",
    "WebLI": "Google",
}
OBJECTIVE_OF_FAMILY = {
    "SigLIP": "contrastive (sigmoid)",
    "CoCa": "contrastive and captioning",
    "NLLB-CLIP": "",
}
OBJECTIVE_DEFAULT = "pure contrastive"

# UniBench writes the same groups and benchmarks in several ways.
TAG_OF_PRINTED = {
    "overall": "total",
    "specifies classification": "specific classification",
    "Object recognition": "object recognition",
    "Reasoning (Counting)": "reasoning",
    "Reasoning (Spatial)": "reasoning",
    "Relation": "relation",
    "Texture": "texture",
    "Non-Natural Images": "non-natural images",
    "Robustness": "robustness",
    "Corruption": "corruption",
}
BENCHMARK_OF_PRINTED = {
    "ImageNet-1k": "imagenet1k",
    "CountBench": "countbench",
    "VG Attribution": "vg_attribution",
    "DTD": "dtd",
    "Resisc45": "resisc45",
    "ImageNet-v2": "imagenetv2",
    "ImageNet-c": "imagenetc",
    "dspr y position": "dspr_y_position",
    "vg attribution": "vg_attribution",
    "dollar street": "dollar_street",
    "smallnorb azimuth": "smallnorb_azimuth",
}
AMBIGUOUS_BENCHMARK = {
    "DSPR Position": "ambiguous: dspr_x_position or dspr_y_position; Table 3 names the latter with"
    " the same correlation for spatial understanding"
}
