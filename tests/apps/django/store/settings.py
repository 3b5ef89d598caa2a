import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
SECRET_KEY = "x"
DEBUG = False
ALLOWED_HOSTS = ["testserver"]
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "rest_framework",
    "drf_spectacular",
    "ninja",
]
ROOT_URLCONF = "store.urls"
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema"}
SPECTACULAR_SETTINGS = {"COMPONENT_SPLIT_REQUEST": True}  # else a file to upload is a URL
